import { wholePage } from "../../../src/cli/commands/missions/list";
import type { MissionListOptions, MissionPage } from "../../../src/client/missions";

/** A list says that there is more only where something comes. */

const named = (workflow_id: string) => ({ workflow_id }) as never;

/** A server with these pages: the items of each that fit. */
function listOf(pages: string[][]) {
  const asked: (string | undefined)[] = [];
  const list = async ({ page }: MissionListOptions): Promise<MissionPage> => {
    asked.push(page);
    const at = Number(page ?? 0);
    const next = at + 1 < pages.length ? { next: String(at + 1) } : {};
    return { missions: (pages[at] ?? []).map(named), ...next };
  };
  return { asked, list };
}

test.each<[what: string, pages: string[][], size: number, missions: string[], end: object]>([
  ["all are on the first page", [["a", "b"]], 5, ["a", "b"], { isMore: false }],
  ["nothing that fits comes any more", [["a", "b", "c"], [], []], 50, ["a", "b", "c"], { isMore: false }],
  ["the page is full, and nothing comes", [["a", "b"], []], 2, ["a", "b"], { isMore: false }],
  ["the rest of a page is found later", [["a"], [], ["b"]], 50, ["a", "b"], { isMore: false }],
  ["something comes after a full page", [["a", "b"], [], ["c"]], 2, ["a", "b"], { isMore: true, next: "1" }],
])("%s", async (_what, pages, size, missions, end) => {
  const { list } = listOf(pages);
  expect(await wholePage(list, { size })).toEqual({ missions: missions.map(named), ...end });
});

test("when the time is over it is not known, and the next page goes on from there", async () => {
  const { asked, list } = listOf([["a"], [], [], ["b"]]);
  let now = 0;
  const clock = jest.spyOn(Date, "now").mockImplementation(() => (now += 1_100));
  try {
    expect(await wholePage(list, {})).toEqual({ missions: [named("a")], next: "3", isMore: false });
    expect(asked).toEqual([undefined, "1", "2"]);
  } finally {
    clock.mockRestore();
  }
});
