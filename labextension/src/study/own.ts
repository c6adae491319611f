/** What a record from outside says under a name; names that every object has, such as "constructor", say nothing. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.prototype.hasOwnProperty.call(record, name) ? record[name] : undefined;
}
