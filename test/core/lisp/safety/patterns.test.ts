import { allAreSafe } from "./judge";
import { searching } from "./patterns";

allAreSafe(
  "patterns",
  searching.map((source) => ({ source, setting: {} })),
);
