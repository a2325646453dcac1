import type { NavigatorClient } from "../../src/client/client";
import { decideTogether } from "../../src/client/decide-all";
import { NavigatorError } from "../../src/core/base/navigator-error";
import type { Decision, Review } from "../../src/core/review/review";

/** One decision for several reviews of equal calls (approvals reference, section 5). */

const review = (run: string, more: Partial<Review> = {}): Review => ({
  id: `agent/${run}/pay/1`,
  kind: "approval",
  title: "Call pay?",
  body: "",
  data: { tool: "pay" },
  choices: ["approve", "reject"],
  createdAt: 1,
  status: "open",
  seal: `seal of ${run}`,
  moves: {},
  ...more,
});

/** A client of a server where these reviews are open; the one of `refuses` is decided already. */
function clientOf(reviews: readonly Review[], refuses = "") {
  const sent: Decision[] = [];
  const client = {
    project: null,
    openReviews: async () => ({ open: [] }),
    reviewed: (workflow: string) => ({
      reviews: async () => reviews.filter(({ id }) => id.startsWith(workflow)),
      decide: async (decision: Decision) => {
        sent.push(decision);
        if (workflow === refuses) throw new NavigatorError("already_decided", "Ben was faster.");
        return { ...reviews.find(({ id }) => id === decision.review), status: "decided" };
      },
    }),
  };
  return { client: client as unknown as NavigatorClient, sent };
}

const ids = ["agent/a/pay/1", "agent/b/pay/1"];
const said = { choice: "approve", by: "anna" };

test("each review gets a decision of its own, with its own seal, and the answer says what became of each", async () => {
  const { client, sent } = clientOf([review("a"), review("b")], "agent/b");
  expect(await decideTogether(client, [...ids, ids[0] as string], said)).toMatchObject([
    { review: ids[0], ok: true, decided: { status: "decided" } },
    { review: ids[1], ok: false, code: "already_decided", message: "Ben was faster." },
  ]);
  expect(sent).toEqual([
    { ...said, review: ids[0], seal: "seal of a" },
    { ...said, review: ids[1], seal: "seal of b" },
  ]);
});

test.each([
  { name: "of different tools", other: { data: { tool: "refund" } }, says: "different tools, pay, refund" },
  { name: "about no call", other: { kind: "question" as const, data: {} }, says: "about no call of a tool" },
  { name: "without the choice", other: { choices: ["reject"] }, says: '"approve" is no choice of "agent/b/pay/1"' },
])("reviews $name are refused together, and nothing is sent", async ({ other, says }) => {
  const { client, sent } = clientOf([review("a"), review("b", other as Partial<Review>)]);
  await expect(decideTogether(client, ids, said)).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(says),
  });
  expect(sent).toEqual([]);
});

test("no review at all is refused", () =>
  expect(decideTogether(clientOf([]).client, [], said)).rejects.toMatchObject({
    code: "invalid_input",
    details: { path: "reviews" },
  }));
