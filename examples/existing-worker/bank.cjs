// A bank for the example. It moves the money once for each idempotency key, and then gives the same answer again.
const { createServer } = require("node:http");
const { text } = require("node:stream/consumers");

const { port } = new URL(process.env.BANK_URL ?? "http://127.0.0.1:4242");
const refunds = new Map();

const server = createServer(async (request, response) => {
  const key = request.headers["idempotency-key"];
  if (request.method !== "POST" || request.url !== "/refunds" || key === undefined)
    return response.writeHead(404).end();
  const { order_id } = JSON.parse(await text(request));
  if (!refunds.has(key)) refunds.set(key, { tx: `tx-${order_id}` });
  response.setHeader("content-type", "application/json").end(JSON.stringify(refunds.get(key)));
});

server.listen(Number(port), "127.0.0.1", () => console.log(`The bank listens on port ${server.address().port}`));
