import { Lexer, type Token, type Tokens } from 'marked';
import { Fragment, memo, type ReactNode, useMemo } from 'react';
import { CutText } from '../parts/CutText.js';
import { CodeBlock } from '../parts/CodeBlock.js';
import { safeAddress, spelledOut } from '../shown-text.js';
import { piecesOf } from './pieces.js';
import styles from './Markdown.module.css';

const MAX_DEPTH = 12;

/** Markdown of others as elements: no HTML, no pictures, links only to the web and to mail. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  return (
    <div className={styles.markdown} dir="auto">
      {pieces.map((piece, i) =>
        piece.isMarkdown ? <Parsed key={i} text={piece.text} /> : <CutText key={i} text={piece.text} />,
      )}
    </div>
  );
});

const Parsed = memo(function Parsed({ text }: { text: string }) {
  const tokens = useMemo(() => parse(text), [text]);
  return tokens === null ? <CutText text={text} /> : <>{render(tokens, 0)}</>;
});

/** null: nested too deeply for the parser. */
function parse(text: string): Token[] | null {
  try {
    return new Lexer({ gfm: true }).lex(spelledOut(text));
  } catch {
    return null;
  }
}

function render(tokens: readonly Token[], depth: number): ReactNode {
  if (depth > MAX_DEPTH) return tokens.map(({ raw }) => raw).join('');
  return tokens.map((token, i) => <Fragment key={i}>{element(token as Tokens.Generic, depth + 1)}</Fragment>);
}

type Known = Tokens.Generic & { tokens?: Token[]; text?: string };

function element(token: Known, depth: number): ReactNode {
  const inside = () => (token.tokens ? render(token.tokens, depth) : (token.text ?? ''));
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'heading':
      return <Heading level={(token as Tokens.Heading).depth}>{inside()}</Heading>;
    case 'paragraph':
      return <p>{inside()}</p>;
    case 'blockquote':
      return <blockquote>{inside()}</blockquote>;
    case 'code':
      return <CodeBlock text={token.text ?? ''} language={(token as Tokens.Code).lang ?? ''} />;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'strong':
      return <strong>{inside()}</strong>;
    case 'em':
      return <em>{inside()}</em>;
    case 'del':
      return <del>{inside()}</del>;
    case 'list':
      return <List list={token as Tokens.List} depth={depth} />;
    case 'table':
      return <Table table={token as Tokens.Table} depth={depth} />;
    case 'link':
      return <Link href={(token as Tokens.Link).href}>{inside()}</Link>;
    case 'image':
      return <Picture {...(token as Tokens.Image)} />;
    case 'text':
    case 'escape':
      return inside();
    default:
      return token.raw; // HTML and whatever else: as it was written
  }
}

/** The page has the first heading, so these begin below it. */
function Heading({ level, children }: { level: number; children: ReactNode }) {
  const Level = (['h2', 'h3', 'h4', 'h5', 'h6'] as const)[Math.min(level, 5) - 1] ?? 'h6';
  return <Level className={styles.heading}>{children}</Level>;
}

function Link({ href, children }: { href: string; children: ReactNode }) {
  const address = safeAddress(href);
  if (address === null) return <>{children}</>;
  return (
    <a href={address} title={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** Loading a picture from elsewhere would tell others that, and what, somebody reads. */
function Picture({ text, href }: { text: string; href: string }) {
  return <Link href={href}>[picture{text && `: ${text}`}]</Link>;
}

function List({ list, depth }: { list: Tokens.List; depth: number }) {
  const items = list.items.map(({ tokens, task, checked }, i) => (
    <li key={i} className={task ? styles.task : undefined}>
      {task && <span aria-label={checked ? 'done' : 'open'}>{checked ? '☑ ' : '☐ '}</span>}
      {render(
        tokens.filter(({ type }) => type !== 'checkbox'),
        depth,
      )}
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table, depth }: { table: Tokens.Table; depth: number }) {
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map(({ tokens }, i) => (
              <th key={i} scope="col">
                {render(tokens, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, i) => (
            <tr key={i}>
              {row.map(({ tokens }, j) => (
                <td key={j}>{render(tokens, depth)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
