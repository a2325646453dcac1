import { assertMissionLog, assertReturned, crashWorker, runInMemory } from "../../src/testing";
import { example } from "./example";

/** The reconciling agent, with books that count. */
interface Books {
  url: string;
  bookings: { id: string; cents: number; kind: string }[];
  ledger: { id: string; cents: number }[];
  close(): void;
}
const { startBooks } = jest.requireActual<{ startBooks(): Promise<Books> }>("../../examples/reconciliation/books.cjs");

let books: Books;
beforeEach(async () => {
  books = await startBooks();
  process.env.BOOKS_URL = books.url;
});
afterEach(() => books.close());

const night = async (choice: string, faults: Parameters<typeof crashWorker>[0][] = []) => {
  const { agent, mission } = await example("reconciliation");
  return runInMemory(await agent("reconcile"), {
    ...mission,
    context: { scheduled_at: "2026-03-02T02:00:00.000Z", limit: 1000 },
    reviews: [{ choice, by: "carla" }],
    faults: faults.map((fault) => crashWorker(fault)),
  });
};

test("a large difference is booked after a person approves", async () => {
  const run = await night("correct");
  assertReturned(run, { booked: 2, corrected: 2, left: [] });
  assertMissionLog(run, ["book_t-103", "book_t-106", "ask_t-105", "correct_t-104", "correct_t-105"]);
  expect(books.ledger.find(({ id }) => id === "t-105")?.cents).toBe(70_000);
});

test("a worker that dies after each booking books nothing twice, and running the same night again books nothing", async () => {
  assertReturned(await night("leave", [{ after: { tool: "book" } }]), { booked: 2, corrected: 1, left: ["t-105"] });
  expect(books.bookings.length).toBe(3);
  assertReturned(await night("leave"), { booked: 0, corrected: 0, left: ["t-105"] });
  expect(books.bookings.length).toBe(3);
});
