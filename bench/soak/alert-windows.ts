/** Whether each alert fired when its cause was made, and at no other time. */

/** An alert that fired. */
export interface Episode {
  alert: string;
  /** Ms since 1970. */
  from: number;
  /** null: it still fires. */
  to: number | null;
}

/** The time from the making of a cause until all is silent again. */
export interface CauseWindow {
  cause: string;
  /** Alerts that must fire. */
  expects: string[];
  /** Alerts that may fire, because the same cause brings them about. */
  allows: string[];
  from: number;
  to: number;
}

/** What is wrong, in a sentence each. @param rules all alerts that there are: each needs a cause */
export function judgeAlerts(
  episodes: readonly Episode[],
  windows: readonly CauseWindow[],
  rules: readonly string[],
): string[] {
  const missed = windows.flatMap(({ cause, expects, from, to }) =>
    expects
      .filter((alert) => !episodes.some((one) => one.alert === alert && one.from >= from && one.from <= to))
      .map((alert) => `${alert} did not fire when ${cause}`),
  );
  const wrong = episodes.flatMap(({ alert, from, to }) => {
    const cause = windows.find((one) => from >= one.from && from <= one.to && isOf(one, alert));
    if (cause === undefined) return [`${alert} fired at ${timeText(from)} without its cause`];
    return to !== null && to <= cause.to ? [] : [`${alert} still fired after the end of its cause: ${cause.cause}`];
  });
  const caused = new Set(windows.flatMap(({ expects }) => expects));
  return [...missed, ...wrong, ...rules.filter((rule) => !caused.has(rule)).map((rule) => `${rule} had no cause`)];
}

const isOf = ({ expects, allows }: CauseWindow, alert: string): boolean =>
  expects.includes(alert) || allows.includes(alert);

const timeText = (at: number): string => new Date(at).toISOString().slice(11, 19);
