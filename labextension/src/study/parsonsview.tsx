import { Fragment, h, useEffect, useId, useRef, useState } from '../jsx';
import { Findings } from './findings';
import { callOf, indented, judge, moved, placed, removed, rulesOf, type Program } from './ordering';
import type { IFinding, IParsonsPayload } from './payload';
import { ProgramList } from './programlist';
import { Markdown, useOutputContext } from './outputcontext';
import { trans } from '../translation';

/** Lines out of order on one side, the learner's program on the other. */
export function ParsonsView({ payload }: { readonly payload: IParsonsPayload }): JSX.Element {
  const { report } = useOutputContext();
  const { exercise, title, prompt, indent, lines } = payload;
  const id = useId();
  const [program, setProgram] = useState<Program>([]);
  const [selected, setSelected] = useState<string | null>(null);
  const [findings, setFindings] = useState<readonly IFinding[] | null>(null);
  const [news, setNews] = useState('');
  const pool = useRef<HTMLUListElement>(null);
  const left = lines.filter(line => !program.some(one => one.id === line.id));
  const isRight = findings !== null && findings.every(finding => finding.passed);
  const pending = useRef<number | null>(null);

  // A line that was put in takes the focus along; the next of the lines left over gets it.
  useEffect(() => {
    if (pending.current !== null) {
      const buttons = pool.current?.querySelectorAll('button');
      buttons?.item(Math.min(pending.current, (buttons?.length ?? 0) - 1))?.focus();
      pending.current = null;
    }
  }, [program]);

  const change = (next: Program, line: string): void => {
    setProgram(next);
    setFindings(null);
    const place = next.findIndex(one => one.id === line);
    setSelected(place === -1 ? null : line);
    setNews(
      place === -1
        ? trans.__('Line %1 was removed from the program.', line)
        : indent
          ? trans.__(
              'Line %1 is now %2 of %3, indented %4.',
              line,
              place + 1,
              next.length,
              next[place].indent
            )
          : trans.__('Line %1 is now %2 of %3.', line, place + 1, next.length)
    );
  };
  const add = (line: string, place = program.length): void =>
    change(placed(program, line, place), line);
  const check = (): void => {
    const rules = rulesOf(payload);
    if (rules === null) {
      setNews(trans.__('This problem cannot be checked here. Run the call below in a cell.'));
      return;
    }
    const found = judge(rules, program, indent);
    setFindings(found);
    setNews('');
    const failed = found.filter(finding => !finding.passed).map(finding => finding.expected);
    void report([{ kind: 'parsons', exercise, right: failed.length === 0, failed }]);
  };
  return (
    <section className="gpc-Study gpc-Parsons" aria-label={`${exercise} ${title}`}>
      <header className="gpc-Study-header">
        <h3>
          {exercise} {title}
        </h3>
      </header>
      <Markdown source={prompt} />
      <div className="gpc-Parsons-columns">
        <div
          className="gpc-Parsons-column"
          onDragOver={event => event.preventDefault()}
          onDrop={event => {
            event.preventDefault();
            const line = event.dataTransfer.getData('text/plain');
            if (program.some(one => one.id === line)) {
              change(removed(program, line), line);
            }
          }}
        >
          <h4 id={`${id}-pool`}>{trans.__('Lines')}</h4>
          <ul className="gpc-Lines" aria-labelledby={`${id}-pool`} ref={pool}>
            {left.map((line, place) => (
              <li key={line.id}>
                <button
                  className="gpc-Line-button"
                  draggable
                  aria-label={trans.__('Put in line %1: %2', line.id, line.text)}
                  onDragStart={event => event.dataTransfer.setData('text/plain', line.id)}
                  onClick={() => {
                    pending.current = place;
                    add(line.id);
                  }}
                >
                  <span className="gpc-Line-letter">{line.id}</span>
                  <code>{line.text}</code>
                </button>
              </li>
            ))}
          </ul>
          {left.length === 0 && (
            <p className="gpc-Study-quiet">{trans.__('All lines are in the program.')}</p>
          )}
        </div>
        <ProgramList
          lines={lines}
          program={program}
          isIndented={indent}
          selected={selected}
          onSelect={setSelected}
          onPlace={add}
          onMove={(line, by) => change(moved(program, line, by), line)}
          onIndent={(line, by) => change(indented(program, line, by), line)}
          onRemove={line => change(removed(program, line), line)}
        />
      </div>
      <p role="status" className="gpc-Study-quiet gpc-Parsons-news">
        {news}
      </p>
      <div className="gpc-Study-buttons">
        <button
          className="gpc-Button gpc-mod-accept"
          disabled={program.length === 0}
          onClick={check}
        >
          {trans.__('Check the order')}
        </button>
        <button
          className="gpc-Button"
          disabled={program.length === 0}
          onClick={() => {
            setProgram([]);
            setFindings(null);
            setSelected(null);
            setNews(trans.__('The program is empty.'));
          }}
        >
          {trans.__('Start over')}
        </button>
      </div>
      <div role="status">
        {findings !== null && (
          <>
            <p className="gpc-Verdict" data-stage={isRight ? 'right' : 'wrong'}>
              {isRight ? trans.__('✓ Right.') : trans.__('✗ Not right yet.')}
            </p>
            <Findings findings={findings} />
          </>
        )}
      </div>
      {program.length > 0 && (
        <p className="gpc-Study-quiet">
          {trans.__('As code:')} <code>{callOf(payload, program)}</code>
        </p>
      )}
    </section>
  );
}
