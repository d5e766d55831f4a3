// Buttons, menus, tabs and themes: what needs no picture.
import { $ } from './messages.js';

export const icon = name => {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'),
        use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
    svg.setAttribute('aria-hidden', 'true');
    use.setAttribute('href', `icons.svg#${name}`);
    svg.append(use);
    return svg;
};

/** A group of buttons of which one is chosen. Returns the function that shows the choice. */
export function radios(place, names, make, choose) {
    const buttons = names.map(name => {
        const button = document.createElement('button');
        button.dataset.value = name;
        button.setAttribute('role', 'radio');
        button.append(...make(name));
        button.addEventListener('click', () => choose(name));
        return button;
    });
    place.append(...buttons);
    place.addEventListener('keydown', event => {
        const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key],
            at = buttons.indexOf(document.activeElement);
        if (!step || at < 0) return;
        event.preventDefault();
        const next = buttons[(at + step + buttons.length) % buttons.length];
        next.focus();
        next.click();
    });
    return value => {
        for (const button of buttons) {
            button.setAttribute('aria-checked', String(button.dataset.value === value));
            button.tabIndex = button.dataset.value === value ? 0 : -1;
        }
    };
}

export function menuItem(menu, title, about, action) {
    const button = document.createElement('button'),
        note = document.createElement('small');
    button.append(title, note);
    note.textContent = about;
    button.addEventListener('click', action);
    menu.append(button);
}

// ---- Menus close by a click elsewhere, by Escape, and when something was chosen ----

/** @type {NodeListOf<HTMLDetailsElement>} */
const found = document.querySelectorAll('details.menu');
const menus = [...found];
const closeMenus = except => menus.forEach(menu => (menu.open &&= menu === except));
addEventListener('pointerdown', event =>
    closeMenus(/** @type {Element} */ (event.target).closest('details.menu')),
);
addEventListener('keydown', event => {
    const menu = menus.find(each => each.open);
    if (event.key === 'Escape' && menu) {
        menu.open = false;
        menu.querySelector('summary').focus();
    }
});
for (const menu of menus)
    menu.addEventListener(
        'click',
        event => /** @type {Element} */ (event.target).closest('.items button') && closeMenus(null),
    );

// ---- Tabs of narrow screens ----

/** @type {NodeListOf<HTMLElement>} */
const tabs = document.querySelectorAll('[data-show]');
for (const button of tabs)
    button.addEventListener('click', () => {
        $('main').dataset.shown = button.dataset.show;
        for (const each of tabs) each.setAttribute('aria-pressed', String(each === button));
    });

// ---- Themes ----

const darkens = matchMedia('(prefers-color-scheme: dark)');
$('theme').addEventListener('click', () => {
    const now = document.documentElement.dataset.theme || (darkens.matches ? 'dark' : 'light');
    document.documentElement.dataset.theme = now === 'dark' ? 'light' : 'dark';
});
