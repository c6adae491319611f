import { h, useRef, useState } from '../jsx';
import { codeLine, type Language } from './codelines';
import { trans } from '../translation';

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
