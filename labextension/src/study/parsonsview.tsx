import type { DragEvent, KeyboardEvent } from 'react';

import { Findings } from './checkview';
import { trans } from '../translation';
import {
  callOf,
  indented,
  judge,
  moved,
  placed,
  removed,
  rulesOf,
  type Program,
  MAX_INDENT
} from './ordering';
import type { IFinding, IParsonsPayload, IOption } from './payload';
import { Markdown, useOutputContext } from './outputcontext';
import { Fragment, h, useEffect, useId, useRef, useState } from '../jsx';

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
              {isRight ? trans.__('✓ Correct.') : trans.__('✗ Not correct yet.')}
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

interface IProgramListProps {
  readonly lines: readonly IOption[];
  readonly program: Program;
  readonly isIndented: boolean;
  readonly selected: string | null;
  readonly onSelect: (id: string) => void;
  readonly onPlace: (id: string, place: number) => void;
  readonly onMove: (id: string, by: -1 | 1) => void;
  readonly onIndent: (id: string, by: -1 | 1) => void;
  readonly onRemove: (id: string) => void;
}

/** The learner's program: a list to walk through with the arrows; what is done is done to the selected line. */
function ProgramList(props: IProgramListProps): JSX.Element {
  const { lines, program, isIndented, selected, onSelect, onPlace } = props;
  const { onMove, onIndent, onRemove } = props;
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const hasFocus = useRef(false);
  const at = program.findIndex(line => line.id === selected);
  const textOf = (line: string): string => lines.find(one => one.id === line)?.text ?? '';
  const option = (line: string): string => `${id}-${line}`;

  // The line that is moved stays in sight.
  useEffect(() => {
    if (hasFocus.current && selected !== null) {
      list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
    }
  }, [selected, program]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const isMoving = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined;
    const shift = { ArrowLeft: -1, ArrowRight: 1 }[event.key] as -1 | 1 | undefined;
    if (step !== undefined && isMoving && selected !== null) {
      onMove(selected, step);
    } else if (step !== undefined) {
      const to = program[Math.min(program.length - 1, Math.max(0, at + step))];
      if (to !== undefined) {
        onSelect(to.id);
      }
    } else if (shift !== undefined && isIndented && selected !== null) {
      onIndent(selected, shift);
    } else if ((event.key === 'Delete' || event.key === 'Backspace') && selected !== null) {
      onRemove(selected);
    } else {
      return;
    }
    event.preventDefault();
  };
  const drop = (place: number) => (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const line = event.dataTransfer.getData('text/plain');
    if (lines.some(one => one.id === line)) {
      onPlace(line, place);
    }
  };
  const tool = (label: string, sign: string, isOff: boolean, act: (line: string) => void) => (
    <button
      className="gpc-Button gpc-mod-small"
      title={label}
      aria-label={label}
      disabled={selected === null || isOff}
      onClick={() => selected !== null && act(selected)}
    >
      {sign}
    </button>
  );
  return (
    <div
      className="gpc-Parsons-column"
      onDragOver={event => event.preventDefault()}
      onDrop={drop(program.length)}
    >
      <div className="gpc-Parsons-bar">
        <h4 id={`${id}-title`}>{trans.__('Your program')}</h4>
        <div role="toolbar" aria-label={trans.__('Selected line')} className="gpc-Study-buttons">
          {tool(trans.__('Move the line up'), '↑', at <= 0, line => onMove(line, -1))}
          {tool(trans.__('Move the line down'), '↓', at === program.length - 1, line =>
            onMove(line, 1)
          )}
          {isIndented &&
            tool(trans.__('Indent less'), '⇤', (program[at]?.indent ?? 0) === 0, line =>
              onIndent(line, -1)
            )}
          {isIndented &&
            tool(trans.__('Indent more'), '⇥', (program[at]?.indent ?? 0) >= MAX_INDENT, line =>
              onIndent(line, 1)
            )}
          {tool(trans.__('Remove the line'), '✕', false, onRemove)}
        </div>
      </div>
      <ul
        ref={list}
        className="gpc-Lines gpc-mod-program"
        role={program.length === 0 ? undefined : 'listbox'}
        tabIndex={program.length === 0 ? undefined : 0}
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-keys`}
        aria-activedescendant={selected === null ? undefined : option(selected)}
        onKeyDown={onKeyDown}
        onFocus={() => {
          hasFocus.current = true;
          if (selected === null && program.length > 0) {
            onSelect(program[0].id);
          }
        }}
        onBlur={() => {
          hasFocus.current = false;
        }}
      >
        {program.map((line, place) => (
          <li
            key={line.id}
            id={option(line.id)}
            role="option"
            aria-selected={line.id === selected}
            aria-label={
              isIndented
                ? trans.__('%1, indented %2: %3', line.id, line.indent, textOf(line.id))
                : `${line.id}: ${textOf(line.id)}`
            }
            draggable
            onDragStart={event => event.dataTransfer.setData('text/plain', line.id)}
            onDrop={drop(place)}
            onClick={() => onSelect(line.id)}
            style={{ paddingLeft: `calc(8px + ${line.indent * 4}ch)` }}
          >
            <span className="gpc-Line-letter">{line.id}</span>
            <code>{textOf(line.id)}</code>
          </li>
        ))}
      </ul>
      {program.length === 0 && (
        <p className="gpc-Study-quiet">{trans.__('Click a line to add it, or drag it here.')}</p>
      )}
      <p id={`${id}-keys`} hidden={program.length === 0} className="gpc-Study-quiet">
        {isIndented
          ? trans.__(
              'Up and Down select, Alt+Up and Alt+Down move, Left and Right indent, Delete removes.'
            )
          : trans.__('Up and Down select, Alt+Up and Alt+Down move, Delete removes.')}
      </p>
    </div>
  );
}
