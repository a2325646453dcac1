import path from "node:path";
import type { Commands, Place } from "./cli";

/** The commands of a place, in this process: each person runs them with a folder of keys of their own. */
export function commandsOfPeople<Name extends string>(
  place: Place,
  names: readonly Name[],
): { here: Commands; as: Record<Name, Commands> } {
  const here = place.here();
  const commandsOf = (name: Name): Commands => {
    const own = <T>(run: () => Promise<T>): Promise<T> => {
      process.env.NAVIGATOR_IDENTITY = path.join(place.folder, "keys", name);
      return run();
    };
    return {
      run: (args) => own(() => here.run(args)),
      json: (args, expected) => own(() => here.json(args, expected)),
      refused: (args, expected) => own(() => here.refused(args, expected)),
    };
  };
  return { here, as: Object.fromEntries(names.map((name) => [name, commandsOf(name)])) as Record<Name, Commands> };
}

/** Each logs in, so that they have a key, and is added to the people of the project. */
export async function addPeople<Name extends string>(
  { here, as }: { here: Commands; as: Record<Name, Commands> },
  names: readonly Name[],
): Promise<void> {
  for (const name of names) {
    const { public: key } = await as[name].json(["login", "--as", name]);
    await here.json(["people", "add", name, "--key", key]);
  }
}
