import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { NavigatorError } from "../../core/base/navigator-error";
import type { WebApp, WebContext } from "../context/context";

const TYPES: { readonly [ending: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};
/** Files of the build have their digest in their name. */
const FOR_EVER = "public, max-age=31536000, immutable";

interface PageFile {
  body: Uint8Array<ArrayBuffer>;
  zipped: Uint8Array<ArrayBuffer>;
  type: string;
  etag: string;
}

/**
 * The files of the page (web reference, section 1). They are read once, by their own names: no name that a request has is looked up
 * on the disk. Every other address is a place in the page, which the page itself finds.
 */
export function pageRoutes(app: WebApp, { pageFolder }: Pick<WebContext, "pageFolder">): void {
  const files = pageFolder === null ? new Map<string, PageFile>() : pageFiles(pageFolder);
  app.get("*", (c) => {
    const { path: address } = c.req;
    const file = files.get(address);
    const isPlace = !address.startsWith("/api/") && !path.posix.basename(address).includes(".");
    const sent = file ?? (isPlace || isReviewPlace(address) ? files.get("/index.html") : undefined);
    if (sent === undefined) {
      if (files.size === 0 && isPlace)
        throw new NavigatorError("not_found", "The page is not built. The API is at /api.", {
          hint: "In a checkout: npm run build",
          details: { path: address, kind: "route" },
        });
      throw new NavigatorError("not_found", `There is nothing at GET ${address}.`, {
        details: { path: address, kind: "route" },
      });
    }
    const headers: { [name: string]: string } = {
      "content-type": sent.type,
      "cache-control": address.startsWith("/assets/") ? FOR_EVER : "no-cache",
      etag: sent.etag,
      vary: "accept-encoding",
    };
    if (c.req.header("if-none-match") === sent.etag) return c.body(null, 304, headers);
    const zips = c.req.header("accept-encoding")?.includes("gzip") === true;
    return c.body(zips ? sent.zipped : sent.body, 200, zips ? { ...headers, "content-encoding": "gzip" } : headers);
  });
}

/** Ids of missions and reviews may have dots. */
const isReviewPlace = (address: string): boolean => /^\/(inbox|missions|graphs|plans)\/[^/]+$/.test(address);

/** @returns the files below the folder, by their addresses */
function pageFiles(folder: string): Map<string, PageFile> {
  if (!existsSync(path.join(folder, "index.html"))) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(path.join(folder, name)).isFile(),
  );
  return new Map(
    names.map((name) => {
      const body = new Uint8Array(readFileSync(path.join(folder, name)));
      const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
      const type = TYPES[path.extname(name)] ?? "application/octet-stream";
      return [`/${name.split(path.sep).join("/")}`, { body, zipped: new Uint8Array(gzipSync(body)), type, etag }];
    }),
  );
}
