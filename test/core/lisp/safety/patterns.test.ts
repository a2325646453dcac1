import { allAreSafe } from "./material/judge";
import { searching } from "./material/patterns";

allAreSafe(
  "patterns",
  searching.map((source) => ({ source, setting: {} })),
);
