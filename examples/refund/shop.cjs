// The outside world: a shop on loopback that counts the refunds. Like a payment service it answers a repeated
// idempotency key with the first answer, finds a refund by its key, and can cancel it.
const { once } = require("node:events");
const { createServer } = require("node:http");

const ORDERS = {
  42: { cents: 4990, item: "desk lamp", customer_id: 7 },
  77: { cents: 129_900, item: "oak table", customer_id: 8 },
  13: { cents: 1500, item: "tea cup", customer_id: 9 },
};
const CUSTOMERS = {
  7: { name: "Mia", since: 2019, refunds: 0 },
  8: { name: "Noah", since: 2023, refunds: 1 },
  9: { name: "Otto", since: 2026, refunds: 14 },
};

/** @param port 0: any free port */
async function startShop(port = 0) {
  const refunds = [];
  const answers = new Map();
  const paths = {
    "/orders/get": ({ order_id }) => ORDERS[order_id],
    "/customers/get": ({ customer_id }) => CUSTOMERS[customer_id],
    "/refunds": ({ order_id, cents }, key) => {
      if (!answers.has(key)) {
        const refund = `re_${order_id}_${answers.size + 1}`;
        refunds.push({ refund, order_id, cents });
        answers.set(key, { refund, cents });
      }
      return answers.get(key);
    },
    "/refunds/find": ({ key }) => ({ answer: answers.get(key) ?? null }),
    "/refunds/cancel": ({ refund }) => {
      const at = refunds.findIndex((one) => one.refund === refund);
      if (at >= 0) refunds.splice(at, 1);
      return { cancelled: refund };
    },
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const answer = paths[request.url]?.(JSON.parse(body), request.headers["idempotency-key"]);
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { error: `there is nothing at ${request.url} ${body}` }));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, refunds, close };
}

module.exports = { startShop };

// `node examples/refund/shop.cjs`: for `navigator dev --config examples/refund`.
if (require.main === module)
  startShop(4243).then(({ url }) => console.log(`The shop listens at ${url}. Ctrl-C stops it.`));
