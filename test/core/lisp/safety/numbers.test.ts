import { allAreSafe } from "./judge";
import { numeric } from "./numbers";

allAreSafe(
  "numbers",
  numeric.map((source) => ({ source, setting: {} })),
);
