import type { DragEvent, KeyboardEvent } from 'react';

import { h, useEffect, useId, useRef } from '../jsx';
import { MAX_INDENT, type Program } from './ordering';
import type { IOption } from './payload';
import { trans } from '../translation';

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
export function ProgramList(props: IProgramListProps): JSX.Element {
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
      aria-label={label}
      title={label}
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
