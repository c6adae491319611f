import { h, useId, useState } from '../jsx';
import { codeLine, type Language } from './codelines';
import { trans } from '../translation';

interface ICodeLinesProps {
  readonly backend: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Titles of fields that cannot be in the line, as what is typed there is not valid; empty: none. */
  readonly left: string;
}

const LANGUAGES: readonly Language[] = ['python', 'magic', 'shell'];

/** The same request in Python, as a magic and for a shell; to copy. */
export function CodeLines({ backend, values, left }: ICodeLinesProps): JSX.Element {
  const id = useId();
  const [language, setLanguage] = useState<Language>('python');
  const [copied, setCopied] = useState('');
  const line = codeLine(language, backend, values);
  const labels: Record<Language, string> = {
    python: trans.__('Python'),
    magic: trans.__('Magic'),
    shell: trans.__('Shell')
  };
  const move = (by: number): void => {
    const next =
      LANGUAGES[(LANGUAGES.indexOf(language) + by + LANGUAGES.length) % LANGUAGES.length];
    setLanguage(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(line);
      setCopied(line);
    } catch {
      // No clipboard without HTTPS: select the line, so that the keyboard can copy it.
      const node = document.getElementById(`${id}-panel`);
      if (node !== null) {
        window.getSelection()?.selectAllChildren(node);
      }
    }
  };
  return (
    <section className="gpc-CodeLines" aria-label={trans.__('The same as code')}>
      <div className="gpc-CodeLines-header">
        <div role="tablist" aria-label={trans.__('Language')}>
          {LANGUAGES.map(name => (
            <button
              key={name}
              id={`${id}-${name}`}
              type="button"
              role="tab"
              className="gpc-Tab"
              aria-selected={name === language}
              aria-controls={`${id}-panel`}
              tabIndex={name === language ? 0 : -1}
              onClick={() => setLanguage(name)}
              onKeyDown={event => {
                if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
                  move(event.key === 'ArrowRight' ? 1 : -1);
                }
              }}
            >
              {labels[name]}
            </button>
          ))}
        </div>
        <button type="button" className="gpc-Button gpc-mod-small" onClick={() => void copy()}>
          {copied === line ? trans.__('Copied') : trans.__('Copy')}
        </button>
      </div>
      <pre id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${language}`} tabIndex={0}>
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
