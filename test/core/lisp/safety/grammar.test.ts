import type { Setting } from "./fingerprint";
import { program } from "./grammar";
import { allAreSafe } from "./judge";

const setting: Setting = { data: { rows: [{ a: 1, b: "x" }, { a: 2 }, null] }, tools: { cached: { cache: true } } };

allAreSafe(
  "grammar",
  program.map((source) => ({ source, setting })),
);
