import { allAreSafe } from "./material/judge";
import { calling } from "./material/tools-and-branches";

allAreSafe("tools", calling);
