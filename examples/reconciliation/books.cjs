// The outside world: a bank's statement and the shop's own ledger, on loopback. It counts the bookings. A second
// booking with the same idempotency key gets the answer of the first.
const { once } = require("node:events");
const { createServer } = require("node:http");

/** Cents. The first two are in the ledger; `t-104` has a slightly different sum there, `t-105` a very different one. */
const BANK = [
  { id: "t-101", day: "2026-03-01", cents: 4990, text: "order 42" },
  { id: "t-102", day: "2026-03-01", cents: 1500, text: "order 13" },
  { id: "t-103", day: "2026-03-01", cents: 8900, text: "order 50" },
  { id: "t-104", day: "2026-03-02", cents: 2995, text: "order 51, fee taken off" },
  { id: "t-105", day: "2026-03-02", cents: 70_000, text: "order 52" },
  { id: "t-106", day: "2026-03-02", cents: 1200, text: "order 53" },
  { id: "t-107", day: "2026-03-03", cents: 6400, text: "order 54" },
];

async function startBooks() {
  const ledger = [
    { id: "t-101", cents: 4990 },
    { id: "t-102", cents: 1500 },
    { id: "t-104", cents: 3000 },
    { id: "t-105", cents: 129_900 },
  ];
  const bookings = [];
  const requests = [];
  const answers = new Map();
  const paths = {
    "/bank": ({ until }) => BANK.filter(({ day }) => day <= until),
    "/ledger": () => ledger,
    "/book": (entry, key) => {
      requests.push(key);
      if (!answers.has(key)) {
        bookings.push(entry);
        const there = ledger.find(({ id }) => id === entry.id);
        if (there) there.cents += entry.cents;
        else ledger.push({ id: entry.id, cents: entry.cents });
        answers.set(key, { booking: `b-${bookings.length}` });
      }
      return answers.get(key);
    },
  };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(paths[request.url](JSON.parse(body), request.headers["idempotency-key"])));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, bookings, requests, ledger, close };
}

module.exports = { startBooks };
