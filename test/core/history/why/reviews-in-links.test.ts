import type { JsonObject } from "../../../../src/core/base/json";
import type { ChainLink, LinkKind } from "../../../../src/core/effects/chain/link";
import { LinkChain } from "../../../../src/core/effects/chain/link-chain";
import { reviewsInLinks } from "../../../../src/core/history/why/reviews-in-links";

/** The votes of a review, as its links tell of them. */

const chain = new LinkChain("m");
const link = (kind: LinkKind, body: JsonObject): ChainLink => chain.add(kind, body, 1);
const vote = (more: JsonObject) => link("decision", { review: "r", by: "dora", choice: "approve", ...more });

const votesOf = (...votes: ChainLink[]) => {
  const links = [link("review", { id: "r", title: "Pay?" }), ...votes, link("effect", { key: "k", review: "r" })];
  return reviewsInLinks(links, "k")[0]?.votes;
};

test("a vote in another one's place says in whose", () => {
  expect(votesOf(vote({ as: { word: "anna", from: "anna" } }))).toEqual([
    { by: "dora", for: "anna", choice: "approve", at: "1970-01-01T00:00:00.001Z", verified: false },
  ]);
  expect(votesOf(vote({ as: { word: "dora" } }))?.[0]).not.toHaveProperty("for");
});

test("only 43 characters of base64url are a version of the people", () => {
  const version = "A".repeat(43);
  expect(votesOf(vote({ people_version: version }), vote({ people_version: `${version}\n` }))).toEqual([
    expect.objectContaining({ people_version: version }),
    expect.not.objectContaining({ people_version: expect.anything() }),
  ]);
});
