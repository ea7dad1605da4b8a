// A client with the official TypeScript SDK, which most assistants use. Arguments: the address
// and the token. Each line of standard input is a call, {"name", "arguments"}. For each, a line
// of standard output contains its duration in ms and its error, if any.
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [url, token] = process.argv.slice(1);
const client = new Client({ name: "bench", version: "0" });
await client.connect(
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }),
);
await client.listTools(); // with them the schemas by which it checks results
console.log("{}");
for await (const line of createInterface({ input: process.stdin })) {
  const begin = performance.now();
  const answer = await client.callTool(JSON.parse(line));
  const took = performance.now() - begin;
  console.log(JSON.stringify({ took, error: answer.isError ? answer.content : undefined }));
}
await client.close();
