import { existsSync } from "node:fs";
import path from "node:path";

/** A file or folder of `bench/peers`. Those are no TypeScript and stay beside the sources: the build does not copy them. */
export function besideSources(name: string): string | undefined {
  for (let at = __dirname; ; at = path.dirname(at)) {
    const file = path.join(at, "bench", "peers", name);
    if (existsSync(file)) return file;
    if (at === path.dirname(at)) return undefined;
  }
}
