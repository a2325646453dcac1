import type { Hono } from "hono";
import type { PeopleFile } from "../../core/review/people/people-file";
import type { CredentialSettings, HttpCaller } from "../../node/http/authenticate";
import type { ProxyTrust } from "../../node/http/client-address";
import type { GuardSettings } from "../../node/http/guard";
import type { NoSigner, Signer } from "../../node/identity/signer";
import type { Logger } from "../../node/log";
import type { StreamStore } from "../../node/streams/stream-store";
import type { Project } from "../../project/load";
import type { Backend } from "../../server/backend/backend";

/** The parts of one web server. All important state is in Temporal: losing a server loses nothing. */
export interface WebContext {
  /** Connects to Temporal when it is first needed. @throws NavigatorError */
  backend(): Promise<Backend>;
  project: Project;
  /** For agents that name no model. */
  model: string;
  streams: StreamStore;
  people(): PeopleFile;
  /** The signer for a caller: the person of this machine, or the service of the server for a person who is authenticated there. */
  signerOf(caller: WebCaller): Signer | NoSigner;
  log: Logger;
  version: string;
  /** The address of the Temporal Web UI, for links; null = not known. */
  temporalUi: string | null;
  /** The folder with the files of the page; null = it is not built. */
  pageFolder: string | null;
}

/** What handlers read of a request besides itself. */
export interface WebEnv {
  Variables: {
    caller: WebCaller;
    /** Of a browser's session. */
    csrf?: string;
  };
}

/** The server's app, or a part of it. */
export type WebApp = Hono<WebEnv>;

/** How many requests a caller may send: `burst` at once, and `perSecond` on average. */
export interface RateLimit {
  perSecond: number;
  burst: number;
}

/** Who sends a request. */
export interface WebCaller extends HttpCaller {
  /** The user of this machine: who has the token that `navigator dev` prints. */
  isLocal?: true;
}

/** The callers that the server accepts. */
export interface WebSecurity extends GuardSettings, CredentialSettings {
  /** Local data: the key of sessions is there. */
  home: string;
  /** A caller with this token is the user of this machine; null: there is none. */
  localToken: string | null;
  /** Origins of pages that may ask the codec, besides our own: the Temporal Web UI's (docs/encryption.md). Default: none. */
  codecOrigins?: readonly string[];
  rateLimit: RateLimit;
  /** Of requests from one address, for each kind, before it is known who sends them: tokens are not to be guessed. */
  strangerLimit: RateLimit;
  /** The proxies whose `X-Forwarded-For` counts. Default: none. */
  proxies?: ProxyTrust;
  /** The server is reached over TLS, so cookies are for TLS only. */
  isSecure: boolean;
}
