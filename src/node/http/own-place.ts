/**
 * A place of the page that a request names, such as `/missions?state=failed`; `/` for everything else. Browsers take `//other.example`,
 * `/\other.example` and the same with a tab in it as addresses elsewhere.
 */
export const ownPlace = (named: string | null | undefined): string =>
  named !== null && named !== undefined && /^\/(?![/\\])[^\\\p{Cc}\s]*$/u.test(named) && !/^\/\.{1,2}\//.test(named)
    ? named
    : "/";
