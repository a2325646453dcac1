import { readFileSync } from "node:fs";
import path from "node:path";
import { OPERATIONS } from "../../src/web/navigator-app";
import { openApiDocument } from "../../src/web/openapi/document";

const version = (): string =>
  JSON.parse(readFileSync(path.join(__dirname, "..", "..", "package.json"), "utf8")).version as string;

/** The OpenAPI document, as the server answers it at /api/openapi.json. */
export const openApiText = (): string => `${JSON.stringify(openApiDocument(OPERATIONS, version()), null, 2)}\n`;

/** What the API can do. */
export const webOperations = (): string =>
  OPERATIONS.map(({ method, path: address, summary }) => `- \`${method.toUpperCase()} ${address}\`: ${summary}`).join(
    "\n",
  );
