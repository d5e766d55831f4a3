// A night sky that is warm at the horizon, hills, and water.
uniform vec2 size;

out vec4 light;

const float HORIZON = 0.24;

void main()
{
    vec2 p = gl_FragCoord.xy / size.y;
    float above = abs(p.y - HORIZON);
    vec3 sky = mix(vec3(0.022, 0.011, 0.016), vec3(0.0008, 0.0012, 0.005), smoothstep(0.0, 0.5, above));
    float hills = 0.03 + 0.018 * sin(5.0 * p.x + 1.0) + 0.009 * sin(13.0 * p.x) + 0.003 * sin(41.0 * p.x);
    if (above < hills)
        sky = vec3(0.0012);
    bool water = p.y < HORIZON;
    float ripples = 0.55 + 0.2 * sin(900.0 / (above + 0.1) + 6.0 * sin(17.0 * p.x));
    light = vec4(water ? sky * ripples : sky, 1.0);
}
