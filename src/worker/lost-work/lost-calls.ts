import { readdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { lifeOf } from "../../node/sign-of-life";
import { type CallsHeader, type CallUnderWay, ENDINGS, readHeader, readOpenCalls } from "./calls-file";

/** What ended workers had under way. */
export interface LostCalls {
  calls: CallUnderWay[];
  /** Removes their files. */
  forget(): Promise<void>;
}

/** Nobody wrote to it for this time, and its worker is not seen: its machine is gone, or no worker serves that server any more. */
const FORGOTTEN_MS = 7 * 24 * 60 * 60 * 1_000;

/** Looked at side by side. */
const AT_ONCE = 32;

/**
 * The calls that workers of this folder had under way for this namespace and that nobody does any more, because their process has surely
 * ended. What nobody will ask for is removed.
 *
 * @param now ms since 1970
 */
export async function findLostCalls(folder: string, namespace_id: string, now = Date.now()): Promise<LostCalls> {
  const bases = await basesIn(folder);
  const lost: { base: string; calls: CallUnderWay[] }[] = [];
  for (let from = 0; from < bases.length; from += AT_ONCE)
    await Promise.all(
      bases.slice(from, from + AT_ONCE).map(async (base) => {
        const { header } = await readCalls(base);
        const life = header === null ? "unknown" : await lifeOf(header.sign, base + ENDINGS.alive);
        // Read once more: until its end the worker may have written.
        if (life === "ended" && header?.namespace_id === namespace_id)
          lost.push({ base, calls: readOpenCalls((await readCalls(base)).lines) });
        else if (life !== "lives" && now - (await lastChange(base)) > FORGOTTEN_MS) await remove(base);
      }),
    );
  return {
    calls: lost.flatMap(({ calls }) => calls),
    forget: async () => {
      await Promise.all(lost.map(({ base }) => remove(base)));
    },
  };
}

/** Of each worker that has a file here: the path of its files without their ending. */
async function basesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []); // no worker ever ran here
  return [...new Set(names.flatMap((name) => OURS.exec(name)?.[1] ?? []))].map((id) => path.join(folder, id));
}

/** The folder may be one that holds other things, too. */
const OURS = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:calls|calls\.new|alive)$/;

async function readCalls(base: string): Promise<{ header: CallsHeader | null; lines: string[] }> {
  const [first = "", ...lines] = (await readFile(base + ENDINGS.calls, "utf8").catch(() => "")).split("\n");
  return { header: readHeader(first), lines };
}

async function lastChange(base: string): Promise<number> {
  const times = Object.values(ENDINGS).map((ending) =>
    stat(base + ending).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  );
  return Math.max(...(await Promise.all(times)));
}

async function remove(base: string): Promise<void> {
  await Promise.all(Object.values(ENDINGS).map((ending) => rm(base + ending, { force: true })));
}
