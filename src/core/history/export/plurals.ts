/** Places as notes and problems name them: `line 3`, `lines 3, 4`, `its last link`. */

/** The lines of a file: `line 3`, `lines 3, 4`. */
export const linesText = (lines: readonly number[]): string =>
  `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}`;

/** So many links at the end of a chain: `last link`, `last 3 links`. */
export const lastLinks = (count: number): string => (count === 1 ? "last link" : `last ${count} links`);
