// A client with the official TypeScript SDK. Each line of standard input is a call,
// {"tool", "arguments"}, or {"cancel"}, which cancels the previous call.
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const say = (what) => console.log(JSON.stringify(what));
const headers = { Authorization: `Bearer ${process.env.EASEL_MCP_TOKEN}` };
const client = new Client({ name: "typescript-client", version: "0" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.EASEL_MCP), { requestInit: { headers } }));
const { tools } = await client.listTools();
say({ tools: tools.map((t) => t.name), instructions: client.getInstructions() ?? "" });

let abort;
const call = async (order, signal) => {
  try {
    const { content } = await client.callTool({ name: order.tool, arguments: order.arguments }, undefined, { signal, timeout: 120_000 });
    const of = (type) => content.filter((c) => c.type === type);
    say({ text: of("text").map((c) => c.text).join("\n"), pictures: of("image").map((c) => c.data) });
  } catch (e) {
    say({ text: String(e), pictures: [] });
  }
};
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  if ("cancel" in order) abort.abort();
  else call(order, (abort = new AbortController()).signal);
}
await client.close();
