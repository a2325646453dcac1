import { allAreSafe } from "./material/judge";
import { numeric } from "./material/numbers";

allAreSafe(
  "numbers",
  numeric.map((source) => ({ source, setting: {} })),
);
