import { hostile } from "./material/hostile-names";
import { allAreSafe } from "./material/judge";

allAreSafe("hostile names", hostile);
