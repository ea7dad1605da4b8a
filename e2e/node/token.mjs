// Sends Easel's token with every request of a program that knows no tokens: MCP's
// conformance suite. Given to Node.js by --import. It changes nothing else, so that
// Host and Origin arrive as the suite sends them.
import { channel } from "node:diagnostics_channel";

const token = process.env.EASEL_TEST_TOKEN;
channel("undici:request:create").subscribe(({ request }) => {
  request.addHeader("authorization", `Bearer ${token}`);
});
