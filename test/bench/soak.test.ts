import { type CauseWindow, type Episode, judgeAlerts } from "../../bench/soak/alert-windows";
import { type FlatLimits, judgeFlat, type Life, slope } from "../../bench/soak/flat";
import { Outside } from "../../bench/soak/service";
import { shortRules } from "../../bench/soak/short-rules";
import { alerts } from "../support/servers/dashboards";

/** What a soak (`npm run soak`) holds against its processes, its charges and the alerts. */

const MIB = 2 ** 20;
const LIMITS: FlatLimits = { rss_per_minute: MIB, files_per_minute: 0.5, shortest_minutes: 8 };

/** A life of so many minutes with a look every 10 s. */
const life = (
  minutes: number,
  at: (minute: number) => { mib?: number; files?: number },
  role: Life["role"] = "web",
): Life => ({
  name: role,
  role,
  pid: 1,
  samples: Array.from({ length: minutes * 6 + 1 }, (_, i) => {
    const { mib = 100, files = 30 } = at(i / 6);
    return { at: i * 10_000, rss: mib * MIB, files };
  }),
});
const others = [life(10, () => ({}), "server"), life(10, () => ({}), "worker")];

test.each([
  { what: "what stays", at: () => ({}), problems: [] },
  { what: "what is loaded in the first third", at: (m: number) => ({ mib: 100 + 50 * Math.min(m, 3) }), problems: [] },
  { what: "saw teeth of garbage", at: (m: number) => ({ mib: 100 + 40 * (m % 1.5) }), problems: [] },
  { what: "one high peak", at: (m: number) => ({ mib: m > 8 && m < 8.4 ? 900 : 100 }), problems: [] },
  {
    what: "two MiB a minute",
    at: (m: number) => ({ mib: 100 + 2 * m }),
    problems: ["web: memory grows by 2.00 MiB a minute, more than 1.00"],
  },
  {
    what: "a socket a minute",
    at: (m: number) => ({ files: 30 + Math.floor(m) }),
    problems: ["web: open files grow by 1.00 a minute"],
  },
])("$what: $problems", ({ at, problems }) => expect(judgeFlat([...others, life(12, at)], LIMITS)).toEqual(problems));

test("a short life tells nothing, and somebody of each role must have lived long enough", () => {
  const short = life(7, (minute) => ({ mib: 100 * minute }));
  expect(judgeFlat([...others, short], LIMITS)).toEqual(["no web lived for 8 minutes"]);
  expect(judgeFlat([...others, short, life(9, () => ({}))], LIMITS)).toEqual([]);
});

test("a slope is the middle one of all pairs", () => {
  expect([
    slope([]),
    slope([[1, 5]]),
    slope([
      [0, 0],
      [1, 2],
      [2, 4],
      [3, 6],
      [4, 900],
    ]),
  ]).toEqual([0, 0, 2]);
});

const window: CauseWindow = { cause: "it breaks", expects: ["Down"], allows: ["Slow"], from: 100, to: 200 };
const fires = (alert: string, from: number, to: number | null): Episode => ({ alert, from, to });

test.each([
  { what: "in its window", episodes: [fires("Down", 110, 190)], problems: [] },
  { what: "with one that is allowed", episodes: [fires("Down", 110, 190), fires("Slow", 120, 150)], problems: [] },
  { what: "not at all", episodes: [], problems: ["Down did not fire when it breaks"] },
  {
    what: "too early",
    episodes: [fires("Down", 50, 60), fires("Down", 110, 190)],
    problems: ["Down fired at 00:00:00 without its cause"],
  },
  {
    what: "for ever",
    episodes: [fires("Down", 110, null)],
    problems: ["Down still fired after the end of its cause: it breaks"],
  },
  {
    what: "another one",
    episodes: [fires("Down", 110, 190), fires("Other", 120, 150)],
    problems: ["Other fired at 00:00:00 without its cause"],
  },
])("an alert that fires $what: $problems", ({ episodes, problems }) =>
  expect(judgeAlerts(episodes, [window], ["Down"])).toEqual(problems),
);

test("each rule must have had its cause", () =>
  expect(judgeAlerts([fires("Down", 110, 190)], [window], ["Down", "Never"])).toEqual(["Never had no cause"]));

test("the short rules are those of deploy with other times and thresholds, and a rule that is not known is refused", () => {
  const { yaml, alerts: names } = shortRules(16 * 2 ** 30);
  expect(names).toEqual(alerts().map(({ alert }) => alert));
  expect(yaml).not.toMatch(/\b\d+[mhd]\b/);
  const unknown = "groups: [{name: a, rules: [{alert: New, expr: up, labels: {}, annotations: {}}]}]";
  expect(() => shortRules(1, unknown)).toThrow("New has no short form");
});

test("a charge that was made twice, was not made, or has no mission is found", () => {
  const outside = new Outside();
  for (const [key, what] of [
    ["a", "1/1"],
    ["b", "1/1"],
    ["c", "3/1"],
  ] as const)
    outside.charges.set(key, what);
  expect(outside.judge(new Set(["1/1", "2/1"]))).toEqual([
    "1/1 was charged 2 times",
    "2/1 was not charged",
    "3/1 was charged without a reason",
  ]);
});
