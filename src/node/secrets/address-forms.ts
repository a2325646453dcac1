/**
 * How a text is written in addresses and forms. All rules write `%` and two digits for a character; they differ in the characters that
 * they leave as they are.
 */

/** Which of `! $ & ' ( ) * + , ; = : @ / ?` stay, besides those of the rule: in parameters, paths, user names, paths of several parts and queries. */
const LEFT = ["", "/", "$&+,", "$&+,;=", "$&+=:@", "$&+,;=:@", "$&+,;=:@/?"];

/** The spellings of encodeURIComponent, encodeURI, RFC 3986 (`%21` for `!`), URLSearchParams and URL. */
export function inAddresses(text: string): string[] {
  const known = text.replace(/[\uD800-\uDFFF]/gu, "\uFFFD");
  const component = encodeURIComponent(known);
  const strict = component.replace(/[!'()*]/g, percent);
  const spellings = [component, strict].flatMap((all) => LEFT.map((left) => leaving(left, all)));
  const form = new URLSearchParams([["", known]]).toString().slice(1);
  const forms = [...new Set([...spellings, encodeURI(known), form, ...inUrl(known)])].flatMap((spelling) => [
    spelling,
    spelling.replaceAll("%20", "+"),
  ]);
  return [...new Set(forms)].flatMap((spelling) => [
    spelling,
    spelling.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ]);
}

const percent = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

const leaving = (left: string, spelling: string): string =>
  spelling.replace(/%[0-9A-F]{2}/g, (code) => {
    const char = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return left.includes(char) ? char : code;
  });

/** As a password, in a path, in a query, and after `#`: URL writes each in its own way, and in addresses of the web in another one. */
function inUrl(text: string): string[] {
  const escaped = text.replaceAll("%", "%25");
  return ["http://localhost", "other://localhost"].flatMap((base) => {
    const url = Object.assign(new URL(base), {
      password: escaped,
      pathname: `/${escaped}`,
      search: escaped,
      hash: escaped,
    });
    return [url.password, ...[url.pathname, url.search, url.hash].map((part) => part.slice(1))];
  });
}
