export type ServerErrorCode =
  | "port_in_use" // something that is no Temporal server listens there
  | "no_answer" // nothing listens at the address, or what listens stays silent
  | "not_running" // none is found, and this command starts none
  | "access_denied" // the cluster refuses this key or certificate
  | "namespace_not_found"
  | "no_cli" // no Temporal CLI on this machine, and no way to get one was left
  | "start_failed" // the CLI was started and its server did not come up
  | "already_running" // this home's server runs on another port
  | "stop_failed"
  | "search_attributes"; // they are missing and cannot be created, or have another type

/** No usable Temporal server. `hint` says what to do next, one line for each way out. Exit code 3. */
export class ServerError extends Error {
  readonly exitCode = 3;

  constructor(
    readonly code: ServerErrorCode,
    message: string,
    readonly hint: string,
    readonly details?: Record<string, unknown>,
  ) {
    super(message);
  }
}
