import { existsSync } from "node:fs";
import path from "node:path";

/** The folder of the built page, seen from this file in `dist/web` and in `src/web`. */
const PLACES = [path.join(__dirname, "..", "page"), path.join(__dirname, "..", "..", "dist", "page")];

/** The folder of the built page; null: it is not built. */
export const pageFolder = (): string | null => PLACES.find((one) => existsSync(path.join(one, "index.html"))) ?? null;
