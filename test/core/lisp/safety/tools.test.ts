import { allAreSafe } from "./judge";
import { calling } from "./tools-and-branches";

allAreSafe("tools", calling);
