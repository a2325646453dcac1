// The tools of the reconciliation example. The key of a booking names the booking, not the run that makes it. So a run
// of another night, or another agent, cannot book the same entry twice.
const { defineTool } = require("navigator-agents");

const books = () => process.env.BOOKS_URL ?? "http://127.0.0.1:4244";

async function post(path, args, call, key = call.idempotencyKey) {
  const response = await fetch(`${books()}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify(args),
    signal: call.signal,
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response.json();
}

module.exports = {
  agents: "./agents",
  script: "./script.yaml",
  tools: [
    defineTool({
      name: "bank_statement",
      description: "All that came in at the bank until a day (2026-03-01), in cents",
      signature: "(until :string) -> [{id :string, day :string, cents :int, text :string}]",
      effect: "read",
      run: (args, call) => post("/bank", args, call),
    }),
    defineTool({
      name: "ledger",
      description: "What the ledger has, in cents",
      signature: "() -> [{id :string, cents :int}]",
      effect: "read",
      run: (args, call) => post("/ledger", args, call),
    }),
    defineTool({
      name: "book",
      description:
        "Books an entry that the ledger lacks, or adds a correction to one that is there; cents may be negative",
      signature: "(id :string, cents :int, kind :string) -> {booking :string}",
      run: (args, call) => {
        if (!["missing", "correction"].includes(args.kind)) throw new Error("kind is missing or correction");
        return post("/book", args, call, `${args.kind}/${args.id}/${args.cents}`);
      },
    }),
  ],
};
