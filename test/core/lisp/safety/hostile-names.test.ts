import { hostile } from "./hostile-names";
import { allAreSafe } from "./judge";

allAreSafe("hostile names", hostile);
