/** What a document is called that another one took the place of, where nobody says otherwise. */
export const retiredAs = '{name} (until {date})';
