import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { WebEnv, WebSecurity } from "../context/context";

/** From where the remote codec may be asked (docs/encryption.md). */

/** Where `--codec-endpoint` points. */
export const CODEC_PATH = "/api/codec";

/** Lets the page of the Temporal Web UI ask the codec from its own origin, and no other page. */
export const codecCors = ({ codecOrigins = [] }: WebSecurity): MiddlewareHandler<WebEnv> =>
  cors({
    origin: (origin) => (codecOrigins.includes(origin) ? origin : null),
    allowMethods: ["POST", "OPTIONS"],
    allowHeaders: ["Authorization", "Content-Type", "X-Namespace"],
    credentials: true,
    maxAge: 600,
  });

/** Whether a path is one of the codec's: its answers depend on the body alone, and change nothing. */
export const isCodecPath = (path: string): boolean => path.startsWith(`${CODEC_PATH}/`);
