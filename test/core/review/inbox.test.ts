import { jsonBytes } from "../../../src/core/base/bytes";
import type { Json } from "../../../src/core/base/json";
import { inboxAttributes, inboxMemo, NOTHING_WAITS } from "../../../src/core/review/inbox/inbox-entry";
import { isListed, itemsOfMemo } from "../../../src/core/review/inbox/inbox-item";
import { readShortReviews, SHORT_REVIEWS_BYTES, shortReviews } from "../../../src/core/review/inbox/short-review";
import type { Review } from "../../../src/core/review/review";

/** What a workflow publishes of what waits in it, and how it is read again (approvals reference, section 7). */

const review = (more: Partial<Review> = {}): Review => ({
  id: "agent/x/pay/1",
  kind: "approval",
  title: "Call pay?",
  body: "Shall it?",
  data: { tool: "pay", args: { cents: 5 }, effect: "write" },
  choices: ["approve", "reject"],
  createdAt: 1_000,
  status: "open",
  moves: {},
  ...more,
});

describe("the memo", () => {
  test("has the whole review, without the notes, values and signatures of its votes", () => {
    const vote = { review: "agent/x/pay/1", choice: "approve", by: "anna", at: 2_000, note: "secret", value: { a: 1 } };
    const asked = review({ votes: [vote], quorum: 2, data: { tool: "pay", args: {}, effect: "irreversible" } });
    const { items } = itemsOfMemo("agent/x", { ...inboxMemo({ ...NOTHING_WAITS, reviews: [asked] }) });
    const { note: _, value: __, ...short } = vote;
    expect(items).toEqual([
      {
        kind: "approval",
        workflow_id: "agent/x",
        mission: "agent/x",
        title: "Call pay?",
        since: 1_000,
        assignees: ["anyone"],
        irreversible: true,
        review: { ...asked, votes: [short] },
      },
    ]);
  });

  test("is null when nothing waits", () => {
    expect(inboxMemo(NOTHING_WAITS)).toEqual({ reviews: null, parked: null });
    expect(inboxAttributes(NOTHING_WAITS)).toEqual({ assignees: null, due: null, asked_at: null });
  });

  test("cuts long bodies, and then leaves reviews out, so that it stays under its limit", () => {
    const many = Array.from({ length: 60 }, (_, n) =>
      review({ id: `agent/x/pay/${n + 1}`, body: "ü".repeat(n === 0 ? 10 : 5_000) }),
    );
    const short = shortReviews(many);
    expect(jsonBytes(short as unknown as Json)).toBeLessThan(SHORT_REVIEWS_BYTES + 50);
    expect(short?.open[0]).not.toHaveProperty("cut");
    expect(short?.open.at(-1)).toMatchObject({ cut: true, data: {}, body: "ü".repeat(400), kind: "approval" });
    expect((short?.open.length as number) + (short?.left_out as number)).toBe(60);
    expect(itemsOfMemo("agent/x", { reviews: short }).left_out).toBe(short?.left_out);
  });

  test("that somebody else has written gives nothing instead of an error", () => {
    for (const raw of [null, 7, "x", [], { open: 1 }, { open: [null, {}, { id: 1 }] }])
      expect(readShortReviews(raw)).toEqual({ open: [] });
    expect(itemsOfMemo("agent/x", { reviews: { open: [7] }, parked: 1, blocked: "no" }).items).toEqual([]);
  });

  test("of a parked mission keeps a value that is not too long", () => {
    const parked = { waiting: { status: "waiting", for: "x".repeat(9_000) }, since: 5, until: null };
    expect(inboxMemo({ ...NOTHING_WAITS, parked }).parked).toEqual({ ...parked, waiting: null });
    const { items } = itemsOfMemo("shop:plan/p/1/build/1", { parked: { waiting: null, since: 5, until: 9 } });
    expect(items).toMatchObject([
      { kind: "parked", mission: "shop:plan/p", title: "Waits for a decision in its journal", due: 9, since: 5 },
    ]);
  });
});

describe("the search attributes", () => {
  test("have each assignee once, the earliest time that is due, and the oldest question", () => {
    const reviews = [
      review({ assignees: ["anna", "group:finance"], remindAt: 9_000, createdAt: 3_000 }),
      review({ assignees: ["anna"], expiresAt: 8_000 }),
    ];
    const parked = { waiting: null, since: 2_000, until: null };
    expect(inboxAttributes({ reviews, parked, blockedSince: 1_500 })).toEqual({
      assignees: ["anna", "group:finance", "anyone"],
      due: 8_000,
      asked_at: 1_000,
    });
  });

  test("say that there are more assignees than fit", () => {
    const assignees = Array.from({ length: 400 }, (_, n) => `person-${n}`);
    const { assignees: words = [] } = inboxAttributes({ ...NOTHING_WAITS, reviews: [review({ assignees })] });
    expect(words?.at(-1)).toBe("*");
    expect(jsonBytes(words as Json)).toBeLessThan(2_000);
    const long = inboxAttributes({ ...NOTHING_WAITS, reviews: [review({ assignees: ["a".repeat(200), "anna"] })] });
    expect(long.assignees).toEqual(["anna", "*"]);
  });
});

describe("the time that is due", () => {
  const dueOf = (more: Partial<Review>) => {
    const memo = inboxMemo({ ...NOTHING_WAITS, reviews: [review(more)] });
    const [item] = itemsOfMemo("agent/x", { ...memo }).items;
    const { due } = inboxAttributes({ ...NOTHING_WAITS, reviews: [review(more)] });
    expect(item?.due ?? null).toBe(due);
    return due;
  };
  const ladder = [
    { at: 3_000, to: ["ben"], after_ms: 2_000 },
    { at: 7_000, to: ["carl"], after_ms: 6_000 },
  ];

  test.each<[string, Partial<Review>, number | null]>([
    ["nothing", {}, null],
    ["a reminder", { remindAt: 4_000, expiresAt: 8_000 }, 4_000],
    ["a step of the ladder", { ladder, remindAt: 4_000, expiresAt: 8_000 }, 3_000],
    ["the next step, after the first", { ladder, escalated: 1, expiresAt: 8_000, onTimeout: "reject" }, 7_000],
    ["the end, after the last step", { ladder, escalated: 2, expiresAt: 8_000, onTimeout: "reject" }, 8_000],
    ["the next working hour, of what was due before it", { ladder, quietUntil: 5_000 }, 5_000],
  ])("is that of %s", (_, more, due) => expect(dueOf(more)).toBe(due));
});

describe("a list for somebody", () => {
  const vote = (by: string, from?: string) => ({
    ...{ review: "agent/x/pay/1", choice: "approve", by, at: 2_000 },
    ...(from === undefined ? {} : { as: { word: from, from } }),
  });
  const anna = { by: "anna", authority: { own: ["anna", "group:finance"], delegated: [], groups: ["finance"] } };
  const eve = {
    by: "eve",
    authority: { own: ["eve"], delegated: [{ word: "anna", from: "anna" }], groups: [] },
  };

  test.each<[string, Partial<Review>, boolean, boolean]>([
    ["for anyone", {}, true, true],
    ["for her", { assignees: ["anna"] }, true, true],
    ["for her group", { assignees: ["group:finance"] }, true, false],
    ["for others", { assignees: ["ben"] }, false, false],
    [
      "for others, and for her from a time on that has come",
      { assignees: ["ben"], ladder: [{ at: 4_000, to: ["anna"], after_ms: 3_000 }] },
      true,
      true,
    ],
    ["that she has decided", { assignees: ["anna", "ben"], quorum: 2, votes: [vote("anna")] }, false, false],
    ["that somebody else has decided", { assignees: ["anna", "ben"], quorum: 2, votes: [vote("ben")] }, true, true],
    [
      "that eve has decided in her place",
      { assignees: ["anna", "ben"], quorum: 2, votes: [vote("eve", "anna")] },
      false,
      false,
    ],
    ["that she asked for", { assignees: ["anna", "ben"], requestedBy: "anna" }, false, false],
    [
      "that she has handed over",
      {
        assignees: ["group:finance"],
        handedOver: [{ ...vote("anna"), choice: "hand-over-review", value: { to: "ben" } }],
      },
      false,
      false,
    ],
  ])("a review %s", (_, more, forAnna, forEve) => {
    const memo = inboxMemo({ ...NOTHING_WAITS, reviews: [review(more)] });
    const [item] = itemsOfMemo("agent/x", { ...memo }).items;
    const listed = [anna, eve].map((decider) => isListed(item as never, { decider }, 5_000));
    expect(listed).toEqual([forAnna, forEve]);
  });

  test("has what needs no decision", () => {
    const parked = { waiting: null, since: 2_000, until: null };
    const [item] = itemsOfMemo("agent/x", { ...inboxMemo({ ...NOTHING_WAITS, parked }) }).items;
    expect(isListed(item as never, { decider: anna }, 5_000)).toBe(true);
  });
});

test("messages that reached nobody stand in the memo: three of them, also of a review that was cut", () => {
  const unheard = ["anna", "ben", "carl", "dora"].map((to) => ({
    ...{ channel: "email", to, error: "550 no such user", at: 2_000, given_up: true },
  }));
  const told = unheard.slice(0, 3);
  for (const body of ["Shall it?", "ü".repeat(SHORT_REVIEWS_BYTES)]) {
    const short = shortReviews([review({ body, unheard })]);
    expect(itemsOfMemo("agent/x", { reviews: short }).items[0]?.review?.unheard).toEqual(told);
  }
});

test.each([
  [{}, true],
  [{ kind: "approval" }, true],
  [{ kind: "gate" }, false],
  [{ assignees: ["ben", "anna"] }, true],
  [{ assignees: ["anyone"] }, false],
  [{ asked_before: 1_000 }, true],
  [{ asked_before: 999 }, false],
  [{ due_before: 10 }, false],
  [{ text: "SHALL" }, true],
  [{ text: "agent/x/pay" }, true],
  [{ text: "refund" }, false],
] as const)("the filter %j lists the item: %s", (filter, listed) => {
  const memo = inboxMemo({ ...NOTHING_WAITS, reviews: [review({ assignees: ["anna"] })] });
  const [item] = itemsOfMemo("agent/x", { ...memo }).items;
  expect(isListed(item as never, filter as never, 5_000)).toBe(listed);
});
