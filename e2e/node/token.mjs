// Adds Easel's token to every request of MCP's conformance suite, which does not support
// tokens. Loaded with Node.js's --import. It changes nothing else, so that Host and Origin
// arrive as the suite sends them.
import { channel } from "node:diagnostics_channel";

const token = process.env.EASEL_TEST_TOKEN;
channel("undici:request:create").subscribe(({ request }) => {
  request.addHeader("authorization", `Bearer ${token}`);
});
