import { DueHeartbeats } from "../../../src/node/heartbeats/due-heartbeats";

const token = new Uint8Array();

/** Activity 1 with a heartbeat timeout of 3 s begins at 0. @returns when heartbeats are sent, while the main thread turns at `turns` */
function sentWhile({ turns, until = 10_000 }: { turns: (now: number) => boolean; until?: number }): number[] {
  const due = new DueHeartbeats();
  due.begin({ id: 1, token, timeout_ms: 3_000, details: [] }, 0);
  const sent: number[] = [];
  for (let now = 100, beats = 0; now <= until; now += 100) {
    if (turns(now)) beats += 1;
    const now_due = due.due(beats, now);
    due.sent(now_due, now);
    if (now_due.length > 0) sent.push(now);
  }
  return sent;
}

test.each([
  { title: "turns all the time", turns: () => true, sent: [] },
  {
    title: "does not turn",
    turns: () => false,
    sent: [1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000],
  },
  // Its own heartbeats need several turns each.
  {
    title: "turns once in 2 s",
    turns: (now: number) => now % 2_000 === 0,
    sent: [1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000],
  },
  { title: "turns after 4 s", turns: (now: number) => now > 4_000, sent: [1_000, 2_000, 3_000, 4_000, 5_000, 6_000] },
])("a main thread that $title gets its heartbeats from the other thread at $sent ms", ({ turns, sent }) =>
  expect(sentWhile({ turns })).toEqual(sent),
);

test("a main thread that never turns again counts as lost after five minutes", () => {
  const sent = sentWhile({ turns: () => false, until: 400_000 });
  expect(sent.at(-1)).toBeLessThanOrEqual(300_100);
  expect(sent.at(-1)).toBeGreaterThan(298_000);
});

test("a heartbeat repeats the newest details, and an ended activity gets none", () => {
  const due = new DueHeartbeats();
  due.begin({ id: 1, token, timeout_ms: 300, details: [] }, 0);
  due.begin({ id: 2, token, timeout_ms: 300, details: [] }, 0);
  const details = [{ data: new Uint8Array([7]) }];
  due.replace(1, details);
  due.end(2);
  due.replace(2, details);
  due.due(1, 10);
  expect(due.due(1, 500)).toMatchObject([{ id: 1, details }]);
});
