/**
 * What a name is, however it is written: two names with one spelling are one name. Upper and lower case, wide and narrow
 * forms, ligatures and characters that nobody sees make no difference. A letter of another alphabet does.
 */
export const spellingOf = (name: string): string => {
  const plain = name.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  // Some letters have only one of the two cases, or two small forms: large and then small makes one of them.
  return plain.trim().toUpperCase().toLowerCase().normalize("NFKC");
};

/** Whether two names are one, however they are written. */
export const isSameName = (one: string, other: string): boolean => spellingOf(one) === spellingOf(other);
