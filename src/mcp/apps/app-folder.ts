import { existsSync } from "node:fs";
import path from "node:path";

/** The folder of the built views, seen from this file in `dist/mcp/apps` and in `src/mcp/apps`. */
const PLACES = [path.join(__dirname, "../../page-app"), path.join(__dirname, "../../../dist/page-app")];

/** The folder of the built views; undefined: they are not built. */
export const builtAppFolder = (): string | undefined => PLACES.find((one) => existsSync(path.join(one, "inbox.html")));
