// Guided examples: each step is a link's fragment and what to see there.

export const EXAMPLES = [
    {
        title: 'Mend a printed picture',
        steps: [
            {
                link: 'p=print',
                text:
                    'A print is made of dots. In the spectrum, a pattern that repeats is a few bright ' +
                    'spots away from the middle. Click one, or press “Remove repeating patterns”.',
            },
            {
                link: 'p=scan',
                text:
                    'Interference is the same, with fewer spots: two waves cross this scan. Click each of ' +
                    'the circled spots, and compare before and after.',
            },
        ],
    },
    {
        title: 'What a shaken camera does',
        steps: [
            {
                link: 'p=moved',
                text:
                    'The camera moved while this was taken. Its spectrum has dark stripes across the ' +
                    'direction of the motion, one over the length of the path apart: those waves are ' +
                    'lost.',
            },
            {
                link: 'p=page&f=motion:length=31:angle=0',
                text:
                    'The same motion as a filter. The kernel is the path of the camera: what one bright ' +
                    'point becomes. Change its length and its angle.',
            },
        ],
    },
    {
        title: 'What phase carries',
        steps: [
            {
                link: 'p=swapped',
                text:
                    'Every wave has a strength, its magnitude, and a place, its phase. These are the ' +
                    'magnitudes of the hills with the phases of the shapes. You see the shapes: places ' +
                    'carry the outlines.',
            },
            {
                link: 'p=texture',
                text:
                    'And these are the magnitudes of the hills with phases by chance: the same waves, ' +
                    'nowhere in particular.',
            },
        ],
    },
    {
        title: 'Make a texture',
        steps: [
            {
                link: 'p=texture',
                text:
                    'Phases by chance turn any picture into a texture that repeats without a seam. Paint ' +
                    'on its spectrum: keep a ring for a grain of one size, or a wedge for fibres of one ' +
                    'direction.',
            },
            {
                link: 'p=texture&b=wrap&s=wk.4k.2s.rs.6d.-ax.-7a.-1u',
                text:
                    'Only one wedge of directions is kept here, and the texture has become fibres. Undo, ' +
                    'and draw another.',
            },
        ],
    },
    {
        title: 'Why a Gaussian is kind',
        steps: [
            {
                link: 'p=chart&f=box:width=9:height=9',
                text:
                    'A box blurs this chart unevenly: beyond the first dark ring, black and white have ' +
                    'changed places, and fine rings come back. The spectrum of a box has side lobes of ' +
                    'both signs.',
            },
            {
                link: 'p=chart&f=gaussian:sigma=2.6',
                text:
                    'A Gaussian of the same strength only fades, the finer the more, and never turns ' +
                    'anything round: its spectrum is a Gaussian again.',
            },
        ],
    },
];
