import { NativeConnection, type NativeConnectionOptions, type NativeConnectionPlugin } from "@temporalio/worker";

/**
 * Remembers the options of a connection: the SDK keeps none, and a second connection to the same server needs them. It comes last, so it
 * sees the changes of all other plugins.
 */
export class ConnectionMemory implements NativeConnectionPlugin {
  readonly name = "navigator-connection-memory";
  options: NativeConnectionOptions | undefined;

  configureNativeConnection(options: NativeConnectionOptions): NativeConnectionOptions {
    const { plugins: _, ...others } = options;
    this.options = others;
    return options;
  }
}

/** The options of a connection; undefined: it was made before `rememberConnections`, or with another copy of the SDK. */
export function optionsOfConnection(connection: NativeConnection): NativeConnectionOptions | undefined {
  const { plugins } = connection as unknown as { plugins?: readonly unknown[] };
  return plugins?.findLast((plugin) => plugin instanceof ConnectionMemory)?.options;
}

const REMEMBERS = Symbol.for("navigator.remembersConnections");

/** From now on each `NativeConnection` of this process remembers its options. */
export function rememberConnections(): void {
  const connections = NativeConnection as typeof NativeConnection & { [REMEMBERS]?: true };
  if (connections[REMEMBERS]) return;
  connections[REMEMBERS] = true;
  const connect = connections.connect;
  connections.connect = function (this: typeof NativeConnection, options = {}) {
    return connect.call(this, { ...options, plugins: [...(options.plugins ?? []), new ConnectionMemory()] });
  };
}
