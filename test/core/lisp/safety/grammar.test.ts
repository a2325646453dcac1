import type { Setting } from "../../../../prove/sandbox/fingerprint";
import { program } from "./material/grammar";
import { allAreSafe } from "./material/judge";

const setting: Setting = { data: { rows: [{ a: 1, b: "x" }, { a: 2 }, null] }, tools: { cached: { cache: true } } };

allAreSafe(
  "grammar",
  program.map((source) => ({ source, setting })),
);
