import { h, useRef, useState } from '../jsx';
import { trans } from '../translation';

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

interface ICodeLinesProps {
  readonly backend: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Titles of fields that cannot be in the line, as what is typed there is not valid; empty: none. */
  readonly left: string;
}

/** The same request in Python, as a magic and for a shell; to copy. */
export function CodeLines({ backend, values, left }: ICodeLinesProps): JSX.Element {
  const shown = useRef<HTMLPreElement>(null);
  const [language, setLanguage] = useState<Language>('python');
  const [copied, setCopied] = useState('');
  const line = codeLine(language, backend, values);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(line);
      setCopied(line);
    } catch {
      // No clipboard without HTTPS: select the line, so that the keyboard can copy it.
      if (shown.current !== null) {
        window.getSelection()?.selectAllChildren(shown.current);
      }
    }
  };
  return (
    <section className="gpc-CodeLines" aria-label={trans.__('Equivalent code')}>
      <div className="gpc-CodeLines-header">
        <select
          className="gpc-Input"
          aria-label={trans.__('Language')}
          value={language}
          onChange={({ target }) => setLanguage(target.value as Language)}
        >
          <option value="python">{trans.__('Python')}</option>
          <option value="magic">{trans.__('Magic')}</option>
          <option value="shell">{trans.__('Shell')}</option>
        </select>
        <button type="button" className="gpc-Button gpc-mod-small" onClick={() => void copy()}>
          {copied === line ? trans.__('Copied') : trans.__('Copy')}
        </button>
      </div>
      <pre ref={shown} role="region" aria-label={trans.__('Code')} tabIndex={0}>
        {line}
      </pre>
      {left !== '' && (
        <p className="gpc-CodeLines-left" role="status">
          {trans.__('Not included until valid: %1', left)}
        </p>
      )}
    </section>
  );
}
