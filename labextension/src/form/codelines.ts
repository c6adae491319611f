/** The same request as a line of Python, magic and shell. */

export type Language = 'python' | 'magic' | 'shell';

/** Write the line that creates a cluster with these values, and nothing that is at its default. */
export function codeLine(
  language: Language,
  backend: string,
  values: Readonly<Record<string, unknown>>
): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  if (language === 'python') {
    const parts = [
      pythonValue(backend),
      ...given.map(([name, value]) => `${name}=${pythonValue(value)}`)
    ];
    return `gpucluster.create(${parts.join(', ')})`;
  }
  const command = language === 'magic' ? '%gpucluster create' : 'gpucluster create';
  const options = [['backend', backend] as [string, unknown], ...given].map(([name, value]) =>
    option(name, value)
  );
  return [command, ...options].join(' ');
}

function option(name: string, value: unknown): string {
  const dashed = name.replace(/_/g, '-');
  if (typeof value === 'boolean') {
    return value ? `--${dashed}` : `--no-${dashed}`;
  }
  const text =
    value === null
      ? 'none'
      : Array.isArray(value)
        ? value.join(',')
        : `${value as string | number}`;
  return `--${dashed} ${quoted(text)}`;
}

function quoted(text: string): string {
  // Single quotes mean the same to a shell and to the magic; nothing inside them is special.
  return /^[A-Za-z0-9_./:,@=+-]+$/.test(text) ? text : `'${text.replace(/'/g, `'"'"'`)}'`;
}

function pythonValue(value: unknown): string {
  if (value === null) {
    return 'None';
  }
  if (typeof value === 'boolean') {
    return value ? 'True' : 'False';
  }
  if (Array.isArray(value)) {
    return `[${value.map(pythonValue).join(', ')}]`;
  }
  // JSON's escapes are all valid in Python.
  return JSON.stringify(value);
}
