import { allAreSafe } from "./material/judge";
import { nested } from "./material/nesting";

allAreSafe(
  "nesting",
  nested.map((source) => ({ source, setting: {} })),
);
