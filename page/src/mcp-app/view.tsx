import { type ComponentType, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ProblemNote } from "../parts/problem";
import { answered, type ChatHost, connectToHost, type ShownCall } from "./host";
import "../styles.css";
import "./app.css";

export interface ViewProps {
  host: ChatHost;
  /** What the model asked with the call that shows the view. */
  args: { [name: string]: unknown };
  /** What it was answered. A view takes ids from it, and reads all that it shows itself. */
  data: unknown;
}

/** Shows a view once the host has given it the call that it is for. */
export function showView(name: string, View: ComponentType<ViewProps>): void {
  const place = document.getElementById("app") as HTMLElement;
  render(<Connected name={name} View={View} />, place);
}

function Connected({ name, View }: { name: string; View: ComponentType<ViewProps> }) {
  const [host, setHost] = useState<ChatHost>();
  const [call, setCall] = useState<ShownCall>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    connectToHost(name, setCall).then(setHost, setError);
  }, [name]);
  if (error !== undefined) return <ProblemNote error={error} />;
  if (host === undefined) return <p class="loading">Connecting …</p>;
  if (host.app.getHostCapabilities()?.serverTools === undefined)
    return (
      <ProblemNote
        error={new Error("This chat does not let a view ask its server. Use the command line: navigator review list")}
      />
    );
  if (call?.isCancelled) return <p class="quiet">The call was cancelled.</p>;
  if (call === undefined || call.result === null) return <p class="loading">Waiting for the answer …</p>;
  return <Answered host={host} args={call.args} result={call.result} View={View} />;
}

function Answered({
  host,
  args,
  result,
  View,
}: {
  host: ChatHost;
  args: ViewProps["args"];
  result: NonNullable<ShownCall["result"]>;
  View: ComponentType<ViewProps>;
}) {
  try {
    const { data } = answered<unknown>(result);
    return <View host={host} args={args} data={data} />;
  } catch (error) {
    return <ProblemNote error={error} />;
  }
}
